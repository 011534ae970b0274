// A Lolcow operator as a kubebuilder user would write it, for comparison: the same children, the same
// status and events, one worker.
package main

import (
	"flag"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	var metricsAddr string
	var webhooks webhook.Options
	flag.StringVar(&metricsAddr, "metrics-bind-address", "0", "Where /metrics is served; 0 is off.")
	flag.StringVar(&webhooks.Host, "webhook-host", "", "Where webhooks are served.")
	flag.IntVar(&webhooks.Port, "webhook-port", 0, "The port of the webhooks; 0 is off.")
	flag.StringVar(&webhooks.CertDir, "webhook-cert-path", "", "The directory of their certificate.")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	log := ctrl.Log.WithName("setup")

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(AddToScheme(scheme))

	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: metricsAddr},
		HealthProbeBindAddress: "0",
		WebhookServer:          webhook.NewServer(webhooks),
	})
	if err != nil {
		log.Error(err, "unable to start manager")
		os.Exit(1)
	}
	err = ctrl.NewControllerManagedBy(mgr).
		For(&Lolcow{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Named("lolcow").
		Complete(&LolcowReconciler{
			Client:   mgr.GetClient(),
			Scheme:   mgr.GetScheme(),
			Recorder: mgr.GetEventRecorder("lolcow"),
		})
	if err != nil {
		log.Error(err, "unable to create controller")
		os.Exit(1)
	}
	if webhooks.Port != 0 {
		err := ctrl.NewWebhookManagedBy(mgr, &Lolcow{}).WithValidator(LolcowValidator{}).Complete()
		if err != nil {
			log.Error(err, "unable to create webhook")
			os.Exit(1)
		}
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Error(err, "problem running manager")
		os.Exit(1)
	}
}
