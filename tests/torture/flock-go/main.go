// The operator of ../flock on controller-runtime, with fewer children: as many Pods as there are sheep, a
// ConfigMap with the song, another with the note if there is one. It is built with the modules of
// tests/bench/go-peer. Without an argument it does all of it right; with --bug NAME it does one thing wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var flocks = schema.GroupVersionKind{Group: "bugs.example.com", Version: "v1", Kind: "Flock"}

func flock() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(flocks)
	return object
}

type shepherd struct {
	client.Client
	// What news told, which may be late, and what is.
	live client.Reader
	bug  string
}

func main() {
	bug := flag.String("bug", "", "counts-in-cache or never-removes")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*bug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(bug string) error {
	if bug != "" && bug != "counts-in-cache" && bug != "never-removes" {
		return errors.New("no bug is called " + bug)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	reconciler := &shepherd{Client: manager.GetClient(), live: manager.GetAPIReader(), bug: bug}
	err = ctrl.NewControllerManagedBy(manager).Named("flock").
		For(flock()).Owns(&corev1.Pod{}).Owns(&corev1.ConfigMap{}).Complete(reconciler)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func (s *shepherd) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	owner := flock()
	if err := s.live.Get(ctx, request.NamespacedName, owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if owner.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil
	}
	problem := errors.Join(s.songs(ctx, owner), s.sheep(ctx, owner))
	return ctrl.Result{}, errors.Join(problem, s.say(ctx, owner, problem))
}

func (s *shepherd) songs(ctx context.Context, owner *unstructured.Unstructured) error {
	song, _, _ := unstructured.NestedString(owner.Object, "spec", "song")
	note, found, _ := unstructured.NestedString(owner.Object, "spec", "note")
	if err := s.write(ctx, owner, "song", song); err != nil {
		return err
	}
	if found {
		return s.write(ctx, owner, "note", note)
	}
	if s.bug == "never-removes" {
		return nil
	}
	object := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: owner.GetNamespace(), Name: owner.GetName() + "-note"}
	if err := s.live.Get(ctx, key, object); err != nil || !metav1.IsControlledBy(object, owner) {
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(s.Delete(ctx, object))
}

func (s *shepherd) write(ctx context.Context, owner *unstructured.Unstructured, what, words string) error {
	object := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: owner.GetNamespace(), Name: owner.GetName() + "-" + what}
	err := s.live.Get(ctx, key, object)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	isNew := apierrors.IsNotFound(err)
	if !isNew && !metav1.IsControlledBy(object, owner) {
		return fmt.Errorf("%s belongs to somebody else", key.Name)
	}
	if !isNew && object.Data[what] == words {
		return nil
	}
	object.Name, object.Namespace = key.Name, key.Namespace
	object.Data = map[string]string{what: words}
	if !isNew {
		return s.Update(ctx, object)
	}
	if err := controllerutil.SetControllerReference(owner, object, s.Scheme()); err != nil {
		return err
	}
	return s.Create(ctx, object)
}

// Pods have names of their own, unless they are counted in the cache: who counts there cannot say which is missing.
func (s *shepherd) sheep(ctx context.Context, owner *unstructured.Unstructured) error {
	wanted, _, _ := unstructured.NestedInt64(owner.Object, "spec", "sheep")
	reader := s.live
	if s.bug == "counts-in-cache" {
		reader = s.Client
	}
	list := &corev1.PodList{}
	if err := reader.List(ctx, list, client.InNamespace(owner.GetNamespace())); err != nil {
		return err
	}
	pods := map[string]*corev1.Pod{}
	for i := range list.Items {
		pod := &list.Items[i]
		if metav1.IsControlledBy(pod, owner) && pod.DeletionTimestamp == nil {
			pods[pod.Name] = pod
		}
	}
	if s.bug == "counts-in-cache" {
		for missing := wanted - int64(len(pods)); missing > 0; missing-- {
			if err := s.create(ctx, owner, metav1.ObjectMeta{GenerateName: owner.GetName() + "-"}); err != nil {
				return err
			}
		}
		surplus := int64(len(pods)) - wanted
		for _, pod := range pods {
			if surplus--; surplus < 0 {
				return nil
			}
			if err := client.IgnoreNotFound(s.Delete(ctx, pod)); err != nil {
				return err
			}
		}
		return nil
	}
	for number := range wanted {
		name := fmt.Sprintf("%s-%d", owner.GetName(), number)
		if _, there := pods[name]; !there {
			if err := s.create(ctx, owner, metav1.ObjectMeta{Name: name}); err != nil {
				return err
			}
		}
		delete(pods, name)
	}
	for _, pod := range pods {
		if err := client.IgnoreNotFound(s.Delete(ctx, pod)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shepherd) create(ctx context.Context, owner *unstructured.Unstructured, metadata metav1.ObjectMeta) error {
	now := int64(0)
	pod := &corev1.Pod{ObjectMeta: metadata, Spec: corev1.PodSpec{
		Containers:                    []corev1.Container{{Name: "sheep", Image: "example.com/sheep:v1"}},
		TerminationGracePeriodSeconds: &now,
	}}
	pod.Namespace = owner.GetNamespace()
	if err := controllerutil.SetControllerReference(owner, pod, s.Scheme()); err != nil {
		return err
	}
	return s.Create(ctx, pod)
}

// Says that all is well, or what is not; only where it does not say so already.
func (s *shepherd) say(ctx context.Context, owner *unstructured.Unstructured, problem error) error {
	status, reason := "True", "Grazing"
	if problem != nil {
		if apierrors.IsConflict(problem) || !isRefused(problem) {
			return nil
		}
		status, reason = "False", "Refused"
	}
	condition := map[string]any{"type": "Ready", "status": status, "reason": reason}
	wanted := map[string]any{"conditions": []any{condition}, "observedGeneration": owner.GetGeneration()}
	if fmt.Sprint(owner.Object["status"]) == fmt.Sprint(wanted) {
		return nil
	}
	before := owner.DeepCopy()
	owner.Object["status"] = wanted
	return s.Status().Patch(ctx, owner, client.MergeFrom(before))
}

func isRefused(problem error) bool {
	return apierrors.IsInvalid(problem) || strings.Contains(problem.Error(), "somebody else")
}
