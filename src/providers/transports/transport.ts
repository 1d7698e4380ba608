/**
 * How what a dialect says reaches a provider: under which address, proven by what, in which
 * envelope. A transport is pure; what it cannot settle beforehand (a signature over the body, a token
 * that must be fetched) it names as a `RequestCredentials`, and the relay does it when the call goes out.
 */
import type { AwsSigningKey, ServiceAccount } from '../../domain/channels/cloud-keys.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { ProviderEndpoint, ProviderFamily, ProviderRow } from '../row.ts';
import type { UpstreamUrl } from '../upstream-url.ts';

export interface RequestPlan {
  readonly provider: ProviderRow;
  /** The channel's; '' takes the provider's. */
  readonly baseUrl: string;
  readonly key: string;
  /** The channel's field `other`: API version, account id, plugin, region, by provider. */
  readonly other?: string;
  readonly organization?: string;
  readonly endpoint: ProviderEndpoint;
  /** The name the upstream knows. */
  readonly model: string;
  /** The name the client asked for, where it is another. */
  readonly clientModel?: string;
  /** A stream is asked for; matters where streams have a path of their own. */
  readonly stream?: boolean;
  /** In place of the version in the provider's paths. */
  readonly apiVersion?: string;
  /** Azure's, where neither client nor channel names one. */
  readonly azureApiVersion?: string;
  readonly clientQuery?: Readonly<Record<string, string | undefined>>;
  /** Appended to the endpoint's path, each as one segment: a model id, a stored response and its list. */
  readonly pathTail?: readonly string[];
  /** Where it is not the endpoint's usual one. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Added to the address as it stands. */
  readonly query?: string;
  /** When the channel was made, epoch seconds. */
  readonly channelCreatedAtSec?: number;
  /** The site's own address, which some providers list as the caller. */
  readonly siteUrl?: string;
}

/** Names in lower case. */
export type HeaderLines = Readonly<Record<string, string>>;

/** What must still be done to prove who asks. */
export type RequestCredentials =
  /** AWS Signature Version 4, over the body as it is sent. */
  | {
      readonly kind: 'aws';
      readonly key: AwsSigningKey;
      readonly region: string;
      readonly service: string;
    }
  /** A token for which Google wants a signed assertion. */
  | { readonly kind: 'google'; readonly account: ServiceAccount }
  /** A token for which Baidu wants both parts of the key. */
  | ({ readonly kind: 'baidu' } & BaiduKey)
  /** Tencent's signature over the body as it is sent. */
  | ({ readonly kind: 'tc3' } & Tc3Proof);

export interface BaiduKey {
  readonly id: string;
  readonly secret: string;
  /** Where the token is asked for. */
  readonly url: UpstreamUrl;
}

export interface Tc3Proof {
  readonly secretId: string;
  readonly secretKey: string;
  readonly service: string;
  readonly action: string;
  readonly version: string;
}

export interface Auth {
  readonly headers: HeaderLines;
  readonly proof?: RequestCredentials;
}

/** A message of a dialect: its headers besides those of the transport, and its body. */
export interface UpstreamPayload {
  readonly headers: HeaderLines;
  readonly body: JsonObject;
}

export interface Transport {
  /** What a model speaks here; absent: the provider's family, for all of them. */
  familyOf?(model: string): ProviderFamily;
  /** All that models speak here; absent: the provider's family alone. */
  readonly families?: readonly ProviderFamily[];
  /** Key and model say where a call goes: the provider has no one address. */
  readonly hasManyHosts?: true;
  offers(provider: ProviderRow, endpoint: ProviderEndpoint): boolean;
  /** @throws AppError endpoint_unsupported, channel_unusable */
  url(plan: RequestPlan): UpstreamUrl;
  /** Where the lists of models stand, if not at the one address of the endpoint `models`. */
  lists?(plan: RequestPlan): readonly UpstreamUrl[];
  /** @throws AppError channel_unusable */
  auth(plan: RequestPlan): Auth;
  /** Families whose models fetch nothing themselves here: media must be sent as bytes. */
  readonly bytesOnly?: readonly ProviderFamily[];
  /** What is said, as it is sent here: versions and flags may stand in other places. */
  carried?(said: UpstreamPayload, family: ProviderFamily): UpstreamPayload;
}
