package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// LolcowReconciler gives each Lolcow a Deployment that shows its greeting and a Service to reach it.
type LolcowReconciler struct {
	client.Client
	Scheme   *runtime.Scheme
	Recorder events.EventRecorder
}

func (r *LolcowReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var lolcow Lolcow
	if err := r.Get(ctx, req.NamespacedName, &lolcow); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}

	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: lolcow.Name, Namespace: lolcow.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		mutateDeployment(&lolcow, deployment)
		return controllerutil.SetControllerReference(&lolcow, deployment, r.Scheme)
	}); err != nil {
		return ctrl.Result{}, err
	}

	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: lolcow.Name, Namespace: lolcow.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		mutateService(&lolcow, service)
		return controllerutil.SetControllerReference(&lolcow, service, r.Scheme)
	}); err != nil {
		return ctrl.Result{}, err
	}

	was := meta.FindStatusCondition(lolcow.Status.Conditions, "Ready")
	isNews := was == nil || was.Status != metav1.ConditionTrue || was.Reason != "Reconciled"
	changed := meta.SetStatusCondition(&lolcow.Status.Conditions, metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		Reason:             "Reconciled",
		Message:            "the greeting is on show",
		ObservedGeneration: lolcow.Generation,
	})
	if changed || lolcow.Status.ObservedGeneration != lolcow.Generation {
		lolcow.Status.ObservedGeneration = lolcow.Generation
		if err := r.Status().Update(ctx, &lolcow); err != nil {
			return ctrl.Result{}, err
		}
	}
	if isNews {
		r.Recorder.Eventf(&lolcow, nil, corev1.EventTypeNormal, "Reconciled", "Reconcile", "Ready is True: the greeting is on show")
	}
	return ctrl.Result{}, nil
}

// Only the fields that matter are set: an object replaced whole would lose the server's defaults, differ
// from the live one for ever, and be written again and again.
func mutateDeployment(lolcow *Lolcow, deployment *appsv1.Deployment) {
	deployment.Labels = labels(lolcow, deployment.Labels)
	deployment.Spec.Replicas = ptr.To[int32](1)
	if deployment.CreationTimestamp.IsZero() {
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: selector(lolcow)}
	}
	template := &deployment.Spec.Template
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	for key, value := range selector(lolcow) {
		template.Labels[key] = value
	}
	if len(template.Spec.Containers) != 1 {
		template.Spec.Containers = make([]corev1.Container, 1)
	}
	container := &template.Spec.Containers[0]
	container.Name = "lolcow"
	container.Image = "ghcr.io/lolcow/lolcow:1.0"
	container.Env = []corev1.EnvVar{{Name: "GREETING", Value: lolcow.Spec.Greeting}, {Name: "PORT", Value: "8080"}}
	container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
	container.Resources = corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("10m"),
			corev1.ResourceMemory: resource.MustParse("16Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
	}
}

func mutateService(lolcow *Lolcow, service *corev1.Service) {
	service.Labels = labels(lolcow, service.Labels)
	service.Spec.Selector = selector(lolcow)
	if len(service.Spec.Ports) != 1 {
		service.Spec.Ports = make([]corev1.ServicePort, 1)
	}
	port := &service.Spec.Ports[0]
	port.Name = "http"
	port.Protocol = corev1.ProtocolTCP
	port.Port = 80
	port.TargetPort = intstr.FromString("http")
}

func selector(lolcow *Lolcow) map[string]string {
	return map[string]string{"app.kubernetes.io/instance": lolcow.Name}
}

func labels(lolcow *Lolcow, labels map[string]string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels["app.kubernetes.io/instance"] = lolcow.Name
	labels["app.kubernetes.io/managed-by"] = "go-peer"
	return labels
}
