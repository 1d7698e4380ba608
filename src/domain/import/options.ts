/** Maps the family's options to ours, and lists the map options that are merged. */
import { isOptionKey, type OptionKey } from '../options/registry.ts';

const RENAMED: Readonly<Record<string, OptionKey>> = {
  OidcEnabled: 'oidc.enabled',
  OidcClientId: 'oidc.client_id',
  OidcClientSecret: 'oidc.client_secret',
  OidcWellKnown: 'oidc.well_known',
  OidcAuthorizationEndpoint: 'oidc.authorization_endpoint',
  OidcTokenEndpoint: 'oidc.token_endpoint',
  OidcUserinfoEndpoint: 'oidc.user_info_endpoint',
  CreateCacheRatio: 'CacheCreationRatio',
};

/** Undefined for an option without an equivalent here. */
export function importedOptionKey(key: string): OptionKey | undefined {
  const renamed = RENAMED[key] ?? key;
  return isOptionKey(renamed) ? renamed : undefined;
}

/** Maps by model or group: both sides' entries are merged, the site's own take precedence. */
const MERGED: ReadonlySet<string> = new Set<OptionKey>([
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CacheCreationRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'GroupRatio',
  'UserUsableGroups',
  'TopupGroupRatio',
]);

export function isMergedOption(key: OptionKey): boolean {
  return MERGED.has(key);
}
