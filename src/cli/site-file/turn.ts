/** Holds the turn to apply a document, so that two documents do not mix. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { EarlyExit } from '../process/early-exit.ts';
import { EXIT } from '../process/exit-codes.ts';

/** Longer than a killed process keeps its turn. */
const WAIT_MS = 60_000;
const ASK_EVERY_MS = 500;
/** A third of the time that a turn lasts. */
const RENEW_EVERY_MS = 10_000;

/**
 * Waits for the turn and runs `work` in it. The signal fires when the turn is lost, and on an interruption.
 * @throws AppError `already_running` if another process does not end.
 */
export async function inTurn<T>(cli: Cli, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { siteApply } = await cli.api();
  const { turn } = await turnOf(cli, siteApply);
  const lost = new AbortController();
  const timer = setInterval(() => {
    // Another failure is none of the turn's; the next renewal still comes in time.
    siteApply.renew({ turn }).catch((error: unknown) => isTaken(error) && lost.abort(error));
  }, RENEW_EVERY_MS);
  try {
    return await work(AbortSignal.any([lost.signal, cli.io.signal]));
  } finally {
    clearInterval(timer);
    // Ends by itself if this fails.
    await siteApply.giveBack({ turn }).catch(() => undefined);
  }
}

async function turnOf(cli: Cli, siteApply: LocalApi['siteApply']) {
  const { signal } = cli.io;
  const endMs = performance.now() + WAIT_MS;
  for (let isNoted = false; ; isNoted = true) {
    try {
      return await siteApply.take({});
    } catch (error) {
      if (!isTaken(error) || performance.now() > endMs) throw error;
    }
    if (!isNoted) cli.note(cli.t('cli.notes.waits_for_apply'));
    await pause(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new EarlyExit(EXIT.interrupted);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.code === 'already_running';
}
