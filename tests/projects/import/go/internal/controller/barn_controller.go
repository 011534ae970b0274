package controller

// +kubebuilder:rbac:groups=farm.example.org,resources=barns;gates;stalls,verbs=get;list;watch
// +kubebuilder:rbac:groups=farm.example.org,resources=barns/status,verbs=get;patch
// +kubebuilder:rbac:groups=core,resources=persistentvolumeclaims,verbs=create;get;list;watch

func (r *BarnReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&farmv1.Barn{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Complete(r)
}
