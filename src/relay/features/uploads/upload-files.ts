/** Uploads the files of a request before the call, for upstreams that accept files only by id. */

import { COZE_UPLOADS } from '../../../dialects/coze/files.ts';
import { DIFY_UPLOADS } from '../../../dialects/dify/files.ts';
import type { MediaSource } from '../../../dialects/hub/blocks.ts';
import type { Bytes, UploadApi } from '../../../dialects/hub/request/uploads.ts';
import { parseJson } from '../../../json/read-json.ts';
import { authHeaders } from '../../../providers/requests/auth-headers.ts';
import { joinUrl } from '../../../providers/requests/upstream-url.ts';
import type { ProviderFamily } from '../../../providers/rows/provider-row.ts';
import { readUpstreamError } from '../../../upstream-errors/read-upstream-error.ts';
import type { Routed } from '../../call/admitted.ts';
import { appUser } from '../../call/app-user.ts';
import { requestOf } from '../../call/hub-request.ts';
import type { Ports } from '../../call/relay-ports.ts';
import { refusedAttempt } from '../../failures/upstream-failures.ts';
import { sendThrough } from '../../http/channel-exchange.ts';
import type { Feature } from '../feature.ts';

const UPLOADS: Readonly<Partial<Record<ProviderFamily, UploadApi>>> = {
  dify: DIFY_UPLOADS,
  coze: COZE_UPLOADS,
};

type Uploads = ReadonlyMap<MediaSource, string>;

export const uploads: Feature = {
  route: {
    appliesTo: ({ provider, endpoint }) =>
      endpoint === 'chat' && UPLOADS[provider.family] !== undefined,
    async prepare(relay, call, choice) {
      const uploading = UPLOADS[call.route.plan.provider.family];
      if (uploading === undefined) return {};
      return { uploads: await uploadAll(relay, call, choice.key.key, uploading) };
    },
  },
};

/**
 * Uploads one after the other; files given as URLs are not uploaded.
 * @throws UpstreamFailure
 */
async function uploadAll(
  relay: Ports<'ctx' | 'pools'>,
  call: Routed,
  key: string,
  uploading: UploadApi,
): Promise<Uploads> {
  const ids = new Map<MediaSource, string>();
  for (const source of uploading.files(requestOf(call)))
    ids.set(source, await upload(relay, call, { key, uploading, source }));
  return ids;
}

interface Upload {
  readonly key: string;
  readonly uploading: UploadApi;
  readonly source: Bytes;
}

async function upload(
  relay: Ports<'ctx' | 'pools'>,
  call: Routed,
  { key, uploading, source }: Upload,
): Promise<string> {
  const { channel, plan } = call.route;
  const { provider } = plan;
  const { mediaType, data } = source;
  const form = new FormData();
  const name = `file.${mediaType.split('/')[1] ?? 'bin'}`;
  form.set('file', new Blob([Buffer.from(data, 'base64')], { type: mediaType }), name);
  for (const [field, value] of Object.entries(uploading.fields(appUser(call))))
    form.set(field, value);
  const encoded = new Response(form);
  const base = channel.baseUrl || provider.baseUrl;
  const reply = await sendThrough(relay.pools, relay.ctx, channel, {
    method: 'POST',
    url: joinUrl(base, uploading.path, { model: '', other: '' }),
    headers: {
      ...authHeaders(provider, key),
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  const json = parseJson(reply.text);
  const id = uploading.idIn(json);
  if (reply.status < 300 && id !== undefined) return id;
  const facts = { ...reply, bodyText: reply.text, nowMs: relay.ctx.now() };
  const upstreamError = uploading.readError(json) ?? readUpstreamError(facts);
  throw refusedAttempt(relay, call, upstreamError);
}
