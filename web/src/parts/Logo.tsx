/** The product's mark: two ways in, one way out. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return <img src="/favicon.svg" width={size} height={size} alt="" />;
}
