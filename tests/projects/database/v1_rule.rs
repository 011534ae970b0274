        let _ = request;
        let mut errors = rustop_manager::webhook::FieldErrors::new();
        if new.spec.owner == "thief" {
            errors.forbidden("spec.owner", "thieves own nothing");
        }
        if new.spec.storage_class.as_deref() == Some("v1") {
            errors.forbidden("spec.storageClass", "is no class");
        }
        errors.into_result()
