/** The serving processes of the site. */
import * as z from 'zod/mini';
import { call } from '../call.ts';

export const Node = z.object({
  id: z.string(),
  /** The machine's host name. */
  host: z.string(),
  pid: z.int(),
  /** Process id of the primary that started this worker; 0 for a single process. */
  primary_pid: z.int(),
  version: z.string(),
  /** `silent`: no heartbeat for 15 s. `draining`: refuses new calls soon. `drained`: none left. */
  state: z.enum(['serving', 'draining', 'drained', 'silent']),
  /** Calls in progress at the latest heartbeat. */
  calls: z.int(),
  /** Epoch seconds, by the database's clock. */
  started_at: z.int(),
  seen_at: z.int(),
  /** How far its clock is ahead of the database's, in milliseconds. */
  skew_ms: z.int(),
});

export const nodeCalls = {
  list: call.admin('GET /api/node/', {
    summary: 'Lists the nodes',
    reply: z.array(Node),
  }),
  drain: call.superAdmin('POST /api/node/:id/drain', {
    summary: 'Stops a node, with all workers of its process, from taking new calls until a restart',
    input: z.object({ id: z.string().check(z.maxLength(64)) }),
    /** The nodes that were signaled. */
    reply: z.array(Node),
  }),
};
