/** What the tests use of the package. */
declare module 'aws4' {
  interface SignedRequest {
    readonly headers?: Readonly<Record<string, string>>;
  }
  const aws4: {
    sign(
      request: object,
      key: { readonly accessKeyId: string; readonly secretAccessKey: string },
    ): SignedRequest;
  };
  export default aws4;
}
