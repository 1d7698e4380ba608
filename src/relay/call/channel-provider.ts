/** The provider row of a channel, adjusted for the channel's keys and the client's dialect. */
import type { Context } from '../../context.ts';
import { DIALECTS } from '../../dialects/all.ts';
import type { DialectName } from '../../dialects/hub/dialect.ts';
import { memoizePerObject } from '../../domain/memoize-per-object.ts';
import { modelRuleOf } from '../../providers/requests/model-rules.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import { messagesRow, variantOf } from '../../providers/rows/provider-variants.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';

type Form = Pick<ChannelEntry, 'type' | 'keys' | 'other' | 'baseUrl' | 'setting'>;

/** Safe to cache per entry, because editing a channel creates a new entry. */
const rowsOf = memoizePerObject((_channel: Form) => new Map<DialectName, ProviderRow>());

export function providerFor(channel: Form, client: DialectName = 'chat'): ProviderRow {
  const rows = rowsOf(channel);
  const kept = rows.get(client);
  if (kept !== undefined) return kept;
  const row = rowFor(channel, client);
  rows.set(client, row);
  return row;
}

function rowFor({ type, keys, other, baseUrl, setting }: Form, client: DialectName): ProviderRow {
  const row = variantOf(providerOf(type), { key: keys[0]?.key ?? '', other });
  if (!DIALECTS[client].hasTwinPaths) return row;
  return messagesRow(row, { baseUrl, ownPath: setting.messagesPath }) ?? row;
}

/** Whether the upstream request is streamed: some upstreams work well only that way. */
export function asksForStream(
  provider: ProviderRow,
  { setting }: Pick<ChannelEntry, 'setting'>,
  { endpoint, model, stream }: { endpoint: string; model: string; stream: boolean },
): boolean {
  if (setting.pseudoStream) return false;
  if (stream || endpoint !== 'chat') return stream;
  return provider.streamOnly ?? modelRuleOf(provider.slug, model)?.streamOnly ?? false;
}

/** API version in the path of a Gemini call: the channel's, else the operator's for this model. */
export function apiVersionOf(
  ctx: Pick<Context, 'options'>,
  channel: ChannelEntry,
  model: string,
): string | undefined {
  const { family, transport } = providerFor(channel);
  if (family !== 'gemini' || transport !== 'plain') return undefined;
  if (channel.other !== '') return channel.other;
  const versions = ctx.options().get('gemini.version_settings');
  return versions[model] ?? versions.default;
}
