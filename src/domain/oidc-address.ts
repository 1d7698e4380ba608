const ENDPOINTS = [
  'oidc.authorization_endpoint',
  'oidc.token_endpoint',
  'oidc.user_info_endpoint',
] as const;

type AddressKey = 'oidc.well_known' | (typeof ENDPOINTS)[number];

/**
 * Whether OpenID Connect sign-in may use http. With a discovery address, its scheme decides for all
 * requests; without one, each endpoint's own does.
 */
export function usesPlainHttp(addressOf: (key: AddressKey) => string): boolean {
  const wellKnown = addressOf('oidc.well_known');
  const used = wellKnown === '' ? ENDPOINTS.map(addressOf) : [wellKnown];
  return used.some((address) => /^http:/i.test(address));
}
