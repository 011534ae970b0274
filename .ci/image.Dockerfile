# The image of a release: the program for any Linux, which `.ci/package` runs in an empty root. The context has it by
# architecture. docker run --rm --user "$(id -u)" -v "$PWD:/src" IMAGE init --domain my.domain
FROM scratch
ARG TARGETARCH
COPY $TARGETARCH/rustop /rustop
USER 65532:65532
WORKDIR /src
ENTRYPOINT ["/rustop"]
