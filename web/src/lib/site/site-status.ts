import type * as z from 'zod/mini';
import type { Status as StatusReply } from '../../../../src/api/site/status.ts';

/** The site's public status. */
export type Status = z.output<typeof StatusReply>;
