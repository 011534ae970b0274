// Checks a bundle with the operator framework's own validators: a line for each finding, and exit code 1 for an error.
package main

import (
	"fmt"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
)

// All but MultipleArchitecturesValidator, which pulls images, and PackageManifestValidator, which is about another format.
var validators = interfaces.Validators{
	validation.ClusterServiceVersionValidator,
	validation.CustomResourceDefinitionValidator,
	validation.BundleValidator,
	validation.OperatorHubV2Validator,
	validation.StandardCategoriesValidator,
	validation.StandardCapabilitiesValidator,
	validation.ObjectValidator,
	validation.OperatorGroupValidator,
	validation.CommunityOperatorValidator,
	validation.AlphaDeprecatedAPIsValidator,
	validation.GoodPracticesValidator,
}

func main() {
	bundle, err := manifests.GetBundleFromDir(os.Args[1])
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	failed := false
	for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
		for _, found := range result.Warnings {
			fmt.Println("warning:", found.Error())
		}
		for _, found := range result.Errors {
			fmt.Println("error:", found.Error())
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
