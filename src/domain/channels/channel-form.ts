/** What an editor asks for by channel type. The rows of `src/providers` say which type has which. */

/** What a channel's field `other` may hold. */
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
 * What a base URL is: an API as usual, a server of one's own, a cloud's instead of the region's, an
 * Azure resource, the whole address of the call, a private deployment, or what stands before `/suno`.
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
