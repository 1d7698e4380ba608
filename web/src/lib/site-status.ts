import type * as z from 'zod/mini';
import type { Status as StatusReply } from '../../../src/api/status.ts';

/** What anyone may read about this site. */
export type Status = z.output<typeof StatusReply>;
