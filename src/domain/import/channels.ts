/** Converts channels of the one-api family to rows of this gateway; pure, one row at a time. */

import { parsedUrl } from '../addresses/parsed-url.ts';
import { splitKeys } from '../channels/channel-keys.ts';
import { CHANNEL } from '../nouns/channel.ts';
import { CHANNEL_STATUS } from '../statuses.ts';
import { splitList } from '../text/comma-list.ts';
import type { AddNote, SkippedRow } from './accounts.ts';
import { importedChannelType } from './channel-types.ts';
import type { SourceFamily } from './family.ts';
import {
  boolIn,
  columnObject,
  columnText,
  decimalIn,
  intIn,
  type SourceRow,
  secondsIn,
} from './values.ts';

export interface ImportedKey {
  readonly key: string;
  /** 1 enabled, 2 disabled, 3 auto-disabled. */
  readonly status: number;
  /** Why and since when the key is disabled; '' and 0 if it is enabled or the reason is unknown. */
  readonly reason: string;
  readonly disabledAtSec: number;
}

export interface ImportedChannel {
  readonly keys: readonly ImportedKey[];
  readonly usedQuota: number;
  /** Columns of `channels`. */
  readonly fields: Readonly<Record<string, string | number | null>>;
}

export function importedChannel(
  row: SourceRow,
  family: SourceFamily,
  note: AddNote,
): ImportedChannel | SkippedRow {
  const known = importedChannelType(family, intIn(row.type));
  if (known === undefined) return { skip: 'type_unknown' };
  const config = columnObject(row.config) ?? {};
  const cloud = family === 'one-api' ? rebuilt(known.type, config, note) : undefined;
  const keys = cloud === undefined ? keysHere(row) : [keyThatIsOn(cloud.key)];
  const models = splitList(columnText(row.models)).filter((model) => model.length <= 255);
  if (models.length === 0) note('field_dropped', 'models');
  const status = intIn(row.status, CHANNEL_STATUS.enabled);
  const json = (field: string) => jsonHere(row, field, note);
  return {
    keys,
    usedQuota: Math.max(0, intIn(row.used_quota)),
    fields: {
      type: known.type,
      name: columnText(row.name, CHANNEL.name.most) || `channel ${intIn(row.id)}`,
      // Without a key, or with an unknown status, the channel stays disabled.
      status: keys.length > 0 && STATUSES.has(status) ? status : CHANNEL_STATUS.disabled,
      weight: Math.max(0, intIn(row.weight)),
      priority: intIn(row.priority),
      created_time: secondsIn(row.created_time),
      test_time: secondsIn(row.test_time),
      balance_updated_time: secondsIn(row.balance_updated_time),
      response_time: Math.max(0, intIn(row.response_time)),
      base_url: addressHere(row, note) || (known.baseUrl ?? ''),
      other: cloud?.other ?? (columnText(row.other, CHANNEL.other.most) || otherText(config)),
      openai_organization: columnText(row.openai_organization, CHANNEL.openai_organization.most),
      test_model: columnText(row.test_model, CHANNEL.test_model.most),
      balance: decimalIn(row.balance),
      models: models.join(','),
      group: splitList(columnText(row.group)).join(',') || CHANNEL.group.default,
      model_mapping: mappingHere(row, note),
      setting: json('setting'),
      param_override: json('param_override'),
      system_prompt: columnText(row.system_prompt),
      status_code_mapping: json('status_code_mapping'),
      auto_ban:
        columnText(row.auto_ban) === '' ? CHANNEL.auto_ban.default : Number(boolIn(row.auto_ban)),
      other_info: json('other_info'),
      tag: columnText(row.tag, CHANNEL.tag.most) || null,
      model_prefix: columnText(row.model_prefix, CHANNEL.model_prefix.most),
    },
  };
}

const STATUSES: ReadonlySet<number> = new Set(Object.values(CHANNEL_STATUS));

/** new-api records per key (by line index) whether, why and since when it is disabled. */
function keysHere(row: SourceRow): ImportedKey[] {
  const info = columnObject(row.channel_info) ?? {};
  const byPlace = (field: string) => columnObject(JSON.stringify(info[field] ?? {})) ?? {};
  const off = byPlace('multi_key_status_list');
  const reasons = byPlace('multi_key_disabled_reason');
  const times = byPlace('multi_key_disabled_time');
  return splitKeys(columnText(row.key)).map((key, index) => {
    const status = intIn(off[index], CHANNEL_STATUS.enabled);
    if (status === CHANNEL_STATUS.enabled) return keyThatIsOn(key);
    const reason = columnText(reasons[index], MAX_REASON_LENGTH);
    const { disabled, auto_disabled } = CHANNEL_STATUS;
    const kept = status === disabled ? disabled : auto_disabled;
    return { key, status: kept, reason, disabledAtSec: Math.max(0, secondsIn(times[index])) };
  });
}

function keyThatIsOn(key: string): ImportedKey {
  return { key, status: 1, reason: '', disabledAtSec: 0 };
}

const MAX_REASON_LENGTH = 255;

const VERTEX = 41;
const BEDROCK = 33;

/** one-api stores parts of cloud credentials in `config`; here the key contains them all. */
function rebuilt(
  type: number,
  config: Readonly<Record<string, unknown>>,
  note: AddNote,
): { readonly key: string; readonly other: string } | undefined {
  const text = (field: string) => columnText(config[field]);
  if (type === VERTEX && text('vertex_ai_adc') !== '') {
    note('key_rebuilt', 'config');
    return { key: text('vertex_ai_adc'), other: text('region') };
  }
  if (type !== BEDROCK || text('ak') === '' || text('sk') === '') return undefined;
  note('key_rebuilt', 'config');
  return { key: [text('ak'), text('sk'), text('region')].join('|'), other: '' };
}

/** The value that one-api moved out of the column `other`. */
function otherText(config: Readonly<Record<string, unknown>>): string {
  for (const field of ['api_version', 'region', 'plugin', 'library_id', 'user_id'])
    if (columnText(config[field]) !== '') return columnText(config[field], CHANNEL.other.most);
  return '';
}

function addressHere(row: SourceRow, note: AddNote): string {
  const address = columnText(row.base_url, CHANNEL.base_url.most).replace(/\/+$/, '');
  if (address === '' || (/^https?:\/\/[^/\s]\S*$/.test(address) && parsedUrl(address)))
    return address;
  note('field_dropped', 'base_url');
  return '';
}

/** The column's JSON; '' for an empty object and for invalid JSON. */
function jsonHere(row: SourceRow, field: string, note: AddNote): string {
  const object = columnObject(row[field]);
  if (object === undefined) note('field_dropped', field);
  return object === undefined || Object.keys(object).length === 0 ? '' : JSON.stringify(object);
}

function mappingHere(row: SourceRow, note: AddNote): string {
  const text = jsonHere(row, 'model_mapping', note);
  const isMapping = Object.values(columnObject(text) ?? {}).every(
    (name) => typeof name === 'string' && name !== '',
  );
  if (isMapping) return text;
  note('field_dropped', 'model_mapping');
  return '';
}
