/**
 * Runs the clerks: beside the model calls they change tokens, balances, codes, options and
 * sessions, one operation at a time each, and check the expected results when they happen and at
 * the end against the database.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';
import type { Clerk, Finding, Workplace } from './clerks/clerk.ts';
import { codeClerk } from './clerks/codes.ts';
import { optionClerk } from './clerks/options.ts';
import { quotaClerk } from './clerks/quota.ts';
import { sessionClerk } from './clerks/sessions.ts';
import { tokenClerk } from './clerks/tokens.ts';
import type { Cluster } from './cluster.ts';
import { openDesk } from './desk.ts';

export interface Office {
  readonly clerks: readonly Clerk[];
  /** Starts no more operations and waits for those in progress. */
  stop(): Promise<void>;
  /** Returns all findings, including those in the database. */
  judge(ctx: Context): Promise<readonly Finding[]>;
}

const CLERKS = [tokenClerk, quotaClerk, codeClerk, optionClerk, sessionClerk] as const;

export function openOffice(cluster: Cluster, dice: () => number): Office {
  const desk = openDesk((ms) => pause(ms));
  const underWay = new Set<Promise<void>>();
  let last = 0;
  const place: Workplace = {
    cluster,
    desk,
    dice,
    next: () => ++last,
    aside(work) {
      const noted = work.finally(() => underWay.delete(noted));
      underWay.add(noted);
    },
  };
  const clerks = CLERKS.map((employ) => employ(place));
  let isOpen = true;
  const working = clerks.map(async (clerk) => {
    while (isOpen) {
      const startedAtMs = performance.now();
      await clerk.turn();
      await pause(Math.max(0, clerk.everyMs - (performance.now() - startedAtMs)));
    }
  });
  return {
    clerks,
    async stop() {
      isOpen = false;
      await Promise.all(working);
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async judge(ctx) {
      for (const clerk of clerks) await clerk.judge(ctx);
      await desk.close();
      return clerks.flatMap(({ tally }) => tally.findings);
    },
  };
}
