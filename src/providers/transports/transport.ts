/**
 * How a dialect's requests reach a provider: URL, authentication and envelope. Transports are pure:
 * work that must wait (a signature over the body, a token to fetch) is described as
 * `RequestCredentials`, and the relay does it when it sends the request.
 */
import type { AwsSigningKey, ServiceAccount } from '../../domain/channels/cloud-keys.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamUrl } from '../requests/upstream-url.ts';
import type { ProviderEndpoint, ProviderFamily, ProviderRow } from '../rows/provider-row.ts';

export interface RequestPlan {
  readonly provider: ProviderRow;
  /** The channel's base URL; '' uses the provider's. */
  readonly baseUrl: string;
  readonly key: string;
  /** The channel's field `other`: API version, account id, plugin or region, by provider. */
  readonly other?: string;
  readonly organization?: string;
  readonly endpoint: ProviderEndpoint;
  /** The upstream's model name. */
  readonly model: string;
  /** The model name the client requested, if it differs. */
  readonly clientModel?: string;
  /** A stream is requested; relevant if streams have a different path. */
  readonly stream?: boolean;
  /** Replaces the version in the provider's paths. */
  readonly apiVersion?: string;
  /** Azure's version if neither client nor channel sets one. */
  readonly azureApiVersion?: string;
  readonly clientQuery?: Readonly<Record<string, string | undefined>>;
  /** Segments appended to the endpoint's path: a model id, a stored response and its list. */
  readonly pathTail?: readonly string[];
  /** If it differs from the endpoint's usual method. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Added to the URL unchanged. */
  readonly query?: string;
  /** When the channel was created, epoch seconds. */
  readonly channelCreatedAtSec?: number;
  /** The site's own URL, which some providers list as the caller. */
  readonly siteUrl?: string;
}

/** Names in lower case. */
export type HeaderLines = Readonly<Record<string, string>>;

/** Credentials that are applied when the request is sent. */
export type RequestCredentials =
  /** AWS Signature Version 4, over the body as sent. */
  | {
      readonly kind: 'aws';
      readonly key: AwsSigningKey;
      readonly region: string;
      readonly service: string;
    }
  /** A token that Google issues for a signed assertion. */
  | { readonly kind: 'google'; readonly account: ServiceAccount }
  /** A token that Baidu issues for both parts of the key. */
  | ({ readonly kind: 'baidu' } & BaiduKey)
  /** Tencent's signature, over the body as sent. */
  | ({ readonly kind: 'tc3' } & Tc3Credentials);

export interface BaiduKey {
  readonly id: string;
  readonly secret: string;
  /** The URL that issues the token. */
  readonly url: UpstreamUrl;
}

export interface Tc3Credentials {
  readonly secretId: string;
  readonly secretKey: string;
  readonly service: string;
  readonly action: string;
  readonly version: string;
}

export interface Auth {
  readonly headers: HeaderLines;
  readonly credentials?: RequestCredentials;
}

/** A dialect's request: its headers besides those of the transport, and its body. */
export interface UpstreamPayload {
  readonly headers: HeaderLines;
  readonly body: JsonObject;
}

export interface Transport {
  /** The family used for a model; absent: the provider's family for all models. */
  familyOf?(model: string): ProviderFamily;
  /** All families used for models; absent: only the provider's family. */
  readonly families?: readonly ProviderFamily[];
  /** Key and model determine the host; the provider has no single base URL. */
  readonly hasManyHosts?: true;
  offers(provider: ProviderRow, endpoint: ProviderEndpoint): boolean;
  /** @throws AppError endpoint_unsupported, channel_unusable */
  url(plan: RequestPlan): UpstreamUrl;
  /** The URLs of the model lists, if they are not at the endpoint `models`. */
  lists?(plan: RequestPlan): readonly UpstreamUrl[];
  /** @throws AppError channel_unusable */
  auth(plan: RequestPlan): Auth;
  /** Families whose models do not fetch URLs here; media must be sent as bytes. */
  readonly bytesOnly?: readonly ProviderFamily[];
  /** Adapts the payload to the provider, which may expect versions and flags in other places. */
  wrap?(payload: UpstreamPayload, family: ProviderFamily): UpstreamPayload;
}
