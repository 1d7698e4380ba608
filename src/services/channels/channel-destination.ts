/**
 * Where a channel's keys are sent. Keys in clear are for super admins; whoever else leads a channel to
 * another place must know its keys, or could have them sent to a place of their own.
 */
import type { Actor } from '../../api/call.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isRoot } from '../../domain/roles.ts';
import type { ChannelFields } from '../../store/tables/channels-table.ts';
import { roleOf } from '../logs/audit.ts';
import { parsedObject } from '../parse-json-object.ts';

type Destination = Pick<ChannelFields, 'type' | 'base_url' | 'setting'>;

/** @throws AppError `channel_key_needed` where the keys that are kept would go elsewhere. */
export function requireKeysStay(actor: Actor, before: Destination, after: Destination): void {
  if (isRoot(roleOf(actor))) return;
  const isSame =
    before.type === after.type &&
    before.base_url === after.base_url &&
    proxyOf(before) === proxyOf(after);
  if (!isSame) throw new AppError('channel_key_needed', {}, { param: 'key' });
}

function proxyOf({ setting }: Destination): unknown {
  return parsedObject(setting).proxy ?? '';
}
