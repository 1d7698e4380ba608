/** Shows whether the database takes settlements, without settling anything. */
import { randomBytes, randomUUID } from 'node:crypto';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import type { Databases } from '../connection/database.ts';
import type { LogTable } from '../logs/log-database.ts';
import { EMPTY_LOG_ROW, type LogRow } from '../logs/log-row.ts';
import { applyBatch } from './ledger.ts';
import type { Operation } from './ledger-operations.ts';

/** As many rows, and as large ones, as need new pages on a disk that is nearly full. */
const CALLS = 32;
const CONTENT_BYTES = 2_048;
/** No account has this id, so that balances stay untouched. */
const NO_ACCOUNT = { userId: 0, tokenId: 0 };

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
      ...NO_ACCOUNT,
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
        ...NO_ACCOUNT,
        userUnits: 0,
        createdAtSec: atSec,
      },
      logs: [logOf(requestId, atSec)],
    },
  ];
}

function logOf(requestId: string, atSec: number): LogRow {
  // Random, because databases compress long texts.
  const content = randomBytes(CONTENT_BYTES / 2).toString('hex');
  const own = { request_id: requestId, created_at: atSec, type: LOG_TYPE.consume, content };
  return { ...EMPTY_LOG_ROW, ...own };
}
