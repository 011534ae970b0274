package main

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// LolcowValidator refuses a Lolcow that shouts, or that changes what it said to nothing.
type LolcowValidator struct{}

func (LolcowValidator) ValidateCreate(_ context.Context, lolcow *Lolcow) (admission.Warnings, error) {
	greeting := lolcow.Spec.Greeting
	if strings.ToLower(greeting) != greeting {
		return nil, invalid(lolcow, field.Invalid(greetingPath, greeting, "must not be shouted"))
	}
	return nil, nil
}

func (v LolcowValidator) ValidateUpdate(ctx context.Context, old, lolcow *Lolcow) (admission.Warnings, error) {
	if lolcow.Spec.Greeting == "" && old.Spec.Greeting != "" {
		return nil, invalid(lolcow, field.Required(greetingPath, "a cow that spoke goes on"))
	}
	return v.ValidateCreate(ctx, lolcow)
}

func (LolcowValidator) ValidateDelete(context.Context, *Lolcow) (admission.Warnings, error) {
	return nil, nil
}

var greetingPath = field.NewPath("spec", "greeting")

func invalid(lolcow *Lolcow, errors ...*field.Error) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: "my.domain", Kind: "Lolcow"}, lolcow.Name, errors)
}
