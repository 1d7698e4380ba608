/**
 * The turn to apply a document to the site. Only one process has it, so that two documents do not
 * mix. It ends by itself if it is not renewed.
 */
import * as z from 'zod/mini';
import { call, Nothing } from '../call.ts';

const Turn = z.object({ turn: z.string().check(z.minLength(1), z.maxLength(100)) });

export const siteApplyCalls = {
  take: call({
    method: 'POST',
    path: '/api/apply/turn',
    role: 10,
    summary: 'Takes the turn to apply a document; it lasts 30 seconds unless renewed',
    input: z.object({}),
    reply: Turn,
  }),
  renew: call({
    method: 'PUT',
    path: '/api/apply/turn',
    role: 10,
    summary: 'Renews the turn to apply a document',
    input: Turn,
    reply: Nothing,
  }),
  giveBack: call({
    method: 'DELETE',
    path: '/api/apply/turn/:turn',
    role: 10,
    summary: 'Ends the turn to apply a document',
    input: Turn,
    reply: Nothing,
  }),
};
