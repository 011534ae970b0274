package webhook

// +kubebuilder:webhook:path=/validate-barn,mutating=false,failurePolicy=ignore,sideEffects=None,groups=farm.example.org,resources=barns,verbs=create;update,versions=v1,name=barns.farm.example.org,admissionReviewVersions={v1,v1beta1}
// +kubebuilder:webhook:path=/mutate-stall,mutating=true,failurePolicy=fail,sideEffects=None,groups=farm.example.org,resources=stalls;gates,verbs=create,versions=v1;v1alpha1,name=stalls.farm.example.org,admissionReviewVersions=v1
