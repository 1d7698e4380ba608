/** Destinations of the site's alerts, besides the accounts of super administrators. */
import * as z from 'zod/mini';
import { DestinationSecret, destinationFields } from '../../domain/alert-destinations.ts';
import { LANGUAGES } from '../../domain/languages.ts';
import { DESTINATION_KINDS } from '../../domain/notification-kinds.ts';
import { call } from '../call.ts';

const Name = destinationFields.name;
const ByName = z.object({ name: Name });

export const Destination = z.object({
  ...destinationFields,
  /** Null: that of the site. */
  language: z.nullable(z.enum(LANGUAGES)),
  has_secret: z.boolean(),
  /** Epoch seconds since when alerts do not arrive; 0 while they do. */
  failing_since: z.int(),
  /** Why the latest one did not, in the language of the caller. */
  failure: z.string(),
});

export const destinationCalls = {
  list: call.superAdmin('GET /api/alert/destination/', {
    summary: "Lists the destinations of the site's alerts, and which of them fail",
    reply: z.array(Destination),
  }),
  save: call.superAdmin('PUT /api/alert/destination/', {
    summary: "Creates or changes a destination of the site's alerts",
    input: z.object({
      ...destinationFields,
      /** The name of the destination to change; absent for a new one. */
      before: z.optional(Name),
      /** Absent or empty keeps the stored secret, null removes it. */
      secret: z.optional(z.nullable(DestinationSecret)),
      /** Null: that of the site. */
      language: z._default(z.nullable(z.enum(LANGUAGES)), null),
    }),
    reply: Destination,
  }),
  remove: call.superAdmin('DELETE /api/alert/destination/:name', {
    summary: "Deletes a destination of the site's alerts",
    input: ByName,
  }),
  test: call.superAdmin('POST /api/alert/destination/:name/test', {
    summary: "Sends a test alert to a destination of the site's alerts",
    input: ByName,
    reply: z.object({ sent_to: z.enum(DESTINATION_KINDS) }),
    critical: true,
  }),
};
