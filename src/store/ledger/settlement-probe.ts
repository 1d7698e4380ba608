/** Shows whether the database takes settlements, without settling anything. */
import { randomBytes, randomUUID } from 'node:crypto';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import type { Databases } from '../connection/database.ts';
import type { LogTable } from '../logs/log-database.ts';
import type { LogRow } from '../logs/log-row.ts';
import { applyBatch } from './ledger.ts';
import type { Operation } from './ledger-operations.ts';

/** As many rows, and as large ones, as need new pages on a disk that is nearly full. */
const CALLS = 32;
const CONTENT_BYTES = 2_048;
/** No account has this id, so that balances stay untouched. */
const NOBODY = { userId: 0, tokenId: 0 };

class RolledBack extends Error {}

/**
 * Writes the holds, charges and log entries of some calls, with those of `failed`, and rolls all of
 * it back. @throws what the database rejects.
 */
export async function probeSettlement(
  { db }: Pick<Databases, 'db'>,
  logTable: LogTable,
  failed: readonly Operation[] = [],
): Promise<void> {
  try {
    await db.transaction(async (trx) => {
      await applyBatch(trx, [...calls(), ...failed], undefined, logTable);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

function calls(): Operation[] {
  const atSec = Math.floor(Date.now() / 1000);
  return Array.from({ length: CALLS }, () => callOf(randomUUID(), atSec)).flat();
}

function callOf(requestId: string, atSec: number): Operation[] {
  return [
    {
      kind: 'hold',
      requestId,
      ...NOBODY,
      userUnits: 0,
      tokenUnits: 0,
      node: '',
      createdAtSec: atSec,
      lifetimeSec: 1,
    },
    {
      kind: 'close',
      requestId,
      charge: {
        key: `probe:${requestId}`,
        cause: 'charge',
        ...NOBODY,
        userUnits: 0,
        createdAtSec: atSec,
      },
      logs: [logOf(requestId, atSec)],
    },
  ];
}

function logOf(requestId: string, atSec: number): LogRow {
  return {
    request_id: requestId,
    user_id: 0,
    created_at: atSec,
    type: LOG_TYPE.consume,
    // Random, because databases compress long texts.
    content: randomBytes(CONTENT_BYTES / 2).toString('hex'),
    username: '',
    token_name: '',
    model_name: '',
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    use_time_ms: 0,
    first_token_ms: 0,
    is_stream: false,
    channel_id: 0,
    token_id: 0,
    group: '',
    client_ip: '',
    usage_source: '',
    other: '',
  };
}
