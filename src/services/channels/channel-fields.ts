/** Validates a channel's columns on input. */
import type { Context } from '../../context.ts';
import { BEDROCK, isAwsRegion, VERTEX } from '../../domain/channels/cloud-keys.ts';
import { mapModel } from '../../domain/channels/model-names.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { pickColumns } from '../../domain/nouns/columns.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedStrings } from '../../json/parse-json-object.ts';
import { providerForm } from '../../providers/provider-facts.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import type { ChannelFields } from '../../store/tables/channels-table.ts';
import { requireGroup } from '../options/require-group.ts';

/** The API version is in `other`. */
const IFLYTEK = 18;

/**
 * The columns of the channel after the write. Only the fields sent are validated: renaming a
 * channel must not fail because of a group that has been removed since.
 * @throws AppError group_missing, input_invalid for a missing region or address that the type needs and for a
 * cyclic mapping.
 */
export function checkedChannelFields(
  ctx: Context,
  given: ChannelFields,
  sent: Partial<ChannelFields>,
): ChannelFields {
  requireGroups(ctx, sent.group ?? '');
  if (sent.model_mapping !== undefined) requireMapping(sent.model_mapping);
  const isTypeSent = sent.type !== undefined || sent.other !== undefined;
  if (isTypeSent && given.type === VERTEX) requireRegion(given.other);
  if (isTypeSent && given.type === BEDROCK && given.other !== '' && !isAwsRegion(given.other))
    throw invalidInput('other', 'aws_region');
  if ((sent.type !== undefined || sent.base_url !== undefined) && given.base_url === '')
    requireKnownAddress(given.type);
  const other = given.type === IFLYTEK && given.other === '' ? 'v2.1' : given.other;
  return { ...editableFields(given), other };
}

/** A type without an address of its own, such as Custom, cannot be called. */
function requireKnownAddress(type: number): void {
  if (providerForm(providerOf(type)).address.needed) throw invalidInput('base_url', 'missing');
}

/**
 * @throws AppError `group_missing` for the first group of the comma-separated list that does not
 * exist.
 */
export function requireGroups(ctx: Context, groups: string): void {
  for (const group of splitList(groups)) requireGroup(ctx, group);
}

/** @throws AppError `input_invalid` for a model mapping with a cycle. */
export function requireMapping(text: string): void {
  const mapping = parsedStrings(text);
  const lost = Object.keys(mapping).find((name) => mapModel(mapping, name, name) === undefined);
  if (lost !== undefined) throw invalidInput('model_mapping', 'circle', { name: lost });
}

/** Plain text, or a map from models to regions with a `default`. */
function requireRegion(other: string): void {
  if (other === '') throw invalidInput('other', 'region_missing');
  if (!other.startsWith('{')) return;
  try {
    const regions: unknown = JSON.parse(other);
    if (typeof regions === 'object' && regions !== null && 'default' in regions) return;
  } catch {
    throw invalidInput('other', 'not_json');
  }
  throw invalidInput('other', 'region_default');
}

/** The columns that an edit writes. */
export function editableFields(given: ChannelFields): ChannelFields {
  return { ...pickColumns(CHANNEL, given), status: given.status };
}

/** @throws AppError `channel_missing`. */
export function requireChannel<C>(channel: C | undefined, id: number): C {
  if (channel === undefined) throw new AppError('channel_missing', { channel: String(id) });
  return channel;
}
