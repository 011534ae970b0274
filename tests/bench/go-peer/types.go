package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type LolcowSpec struct {
	Greeting string `json:"greeting"`
}

type LolcowStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type Lolcow struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   LolcowSpec   `json:"spec,omitempty"`
	Status LolcowStatus `json:"status,omitempty"`
}

type LolcowList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Lolcow `json:"items"`
}

func AddToScheme(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "my.domain", Version: "v1alpha1"}
	scheme.AddKnownTypes(version, &Lolcow{}, &LolcowList{})
	metav1.AddToGroupVersion(scheme, version)
	return nil
}

// What controller-gen would write.

func (in *Lolcow) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), in.Status.Conditions...)
	return &out
}

func (in *LolcowList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Lolcow, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*Lolcow)
	}
	return &out
}
