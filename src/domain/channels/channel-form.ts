/** The channel editor's fields per type; rows of `src/providers` define which type has which. */

/** The possible meanings of a channel's field `other`. */
export const OTHER_FIELDS = [
  'accountId',
  'apiVersion',
  'application',
  'botId',
  'interface',
  'keyRegion',
  'knowledgeBaseId',
  'modelVersion',
  'plugin',
  'region',
] as const;

export type OtherFieldName = (typeof OTHER_FIELDS)[number];

/**
 * The meaning of a base URL: the usual API address, a self-hosted server, a cloud address that
 * replaces the region's, an Azure resource, the full request URL, a private deployment, or the
 * prefix before `/suno`.
 */
export const ADDRESS_FORMS = [
  'usual',
  'own',
  'regional',
  'resource',
  'full',
  'private',
  'beforeSuno',
] as const;

export type AddressForm = (typeof ADDRESS_FORMS)[number];
