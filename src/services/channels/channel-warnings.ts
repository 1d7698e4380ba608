/** What a written channel accepts but probably was not meant. */
import type * as z from 'zod/mini';
import type { Visit } from '../../api/call.ts';
import type { Warning } from '../../api/fields.ts';
import { unlistedAliases } from '../../domain/channels/model-names.ts';
import { fieldError } from '../../domain/errors/error-shapes.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { problemText } from '../../locales/text.ts';
import type { ChannelFields } from '../../store/tables/channels-table.ts';

const FIELDS = ['models', 'model_mapping', 'model_prefix'] as const;

/** The warnings of a write that sent these fields to these channels; no property without any. */
export function channelWarnings(
  channels: readonly Pick<ChannelFields, (typeof FIELDS)[number]>[],
  sent: Partial<ChannelFields>,
  { language }: Visit,
): { warnings?: z.input<typeof Warning>[] } {
  if (FIELDS.every((field) => sent[field] === undefined)) return {};
  const names = channels.flatMap((channel) =>
    unlistedAliases({
      models: splitList(channel.models),
      mapping: parsedObject(channel.model_mapping),
      prefix: channel.model_prefix,
    }),
  );
  if (names.length === 0) return {};
  const listed = firstNames([...new Set(names)]);
  const problem = invalidInput('model_mapping', 'alias_unlisted', { names: listed });
  return { warnings: [fieldError(problem, problemText(problem, language))] };
}
