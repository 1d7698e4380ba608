/**
 * The turn to apply a document to the site. Only one process has it, so that two documents do not
 * mix. It ends by itself if it is not renewed.
 */
import * as z from 'zod/mini';
import { call } from '../call.ts';

const Turn = z.object({ turn: z.string().check(z.minLength(1), z.maxLength(100)) });

export const siteApplyCalls = {
  take: call.admin('POST /api/apply/turn', {
    summary: 'Takes the turn to apply a document; it lasts 30 seconds unless renewed',
    reply: Turn,
  }),
  renew: call.admin('PUT /api/apply/turn', {
    summary: 'Renews the turn to apply a document',
    input: Turn,
  }),
  giveBack: call.admin('DELETE /api/apply/turn/:turn', {
    summary: 'Ends the turn to apply a document',
    input: Turn,
  }),
};
