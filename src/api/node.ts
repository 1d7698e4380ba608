/** The serving processes of the site. */
import * as z from 'zod/mini';
import { call } from './call.ts';

export const Node = z.object({
  id: z.string(),
  /** The machine's name. */
  host: z.string(),
  pid: z.int(),
  /** The process that started this one as a worker; 0 for a process that stands alone. */
  primary_pid: z.int(),
  version: z.string(),
  /** `silent`: no heartbeat for 15 s. `draining`: takes no new calls soon. `drained`: has none left. */
  state: z.enum(['serving', 'draining', 'drained', 'silent']),
  /** Calls under way at the latest heartbeat. */
  calls: z.int(),
  /** Epoch seconds, by the database's clock. */
  started_at: z.int(),
  seen_at: z.int(),
  /** Milliseconds by which its clock is ahead of the database's. */
  skew_ms: z.int(),
});

export const nodeCalls = {
  list: call({
    method: 'GET',
    path: '/api/node/',
    role: 10,
    summary: 'Lists the processes that serve',
    input: z.object({}),
    reply: z.array(Node),
  }),
  drain: call({
    method: 'POST',
    path: '/api/node/:id/drain',
    role: 100,
    summary:
      'Tells a node, with all workers of its process, to take no new calls until it is restarted',
    input: z.object({ id: z.string().check(z.maxLength(64)) }),
    /** Those that were told. */
    reply: z.array(Node),
  }),
};
