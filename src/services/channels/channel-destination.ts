/**
 * Guards where a channel's keys are sent. Only super admins may read plaintext keys; others must
 * know a channel's keys to change its destination, or they could have the keys sent to their own
 * server.
 */
import type { Actor } from '../../api/call.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { isSuperAdmin } from '../../domain/roles.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import type { ChannelFields } from '../../store/tables/channels-table.ts';
import { roleOf } from '../logs/audit.ts';

type Destination = Pick<ChannelFields, 'type' | 'base_url' | 'setting'>;

/**
 * @throws AppError `channel_key_needed` if stored keys would be sent to a different destination.
 */
export function requireSameKeyDestination(
  actor: Actor,
  before: Destination,
  after: Destination,
): void {
  if (isSuperAdmin(roleOf(actor))) return;
  const isSame =
    before.type === after.type &&
    before.base_url === after.base_url &&
    proxyOf(before) === proxyOf(after);
  if (!isSame) throw new AppError('channel_key_needed', {}, { param: 'key' });
}

function proxyOf({ setting }: Destination): unknown {
  return parsedObject(setting).proxy ?? '';
}
