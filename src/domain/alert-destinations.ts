/** Where the site's alerts go besides super administrators (docs/notifications.md). */
import * as z from 'zod/mini';
import { LANGUAGES } from './languages.ts';
import { addressProblem, DESTINATION_KINDS } from './notification-kinds.ts';

/** Every alert is sent to each of them. */
const MAX_DESTINATIONS = 20;

export const destinationFields = {
  /** Unique within the site. */
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(64), z.regex(/^\P{Cc}*$/u)),
  kind: z.enum(DESTINATION_KINDS),
  /** A mail address, or the address that a service gives. */
  address: z.string().check(z.trim(), z.minLength(1), z.maxLength(2000)),
};

export const DestinationSecret = z.string().check(z.maxLength(500));

const AlertDestination = z
  .strictObject({
    ...destinationFields,
    /** Proves the sender to receivers of some kinds. */
    secret: z.optional(DestinationSecret),
    /** Absent: that of the site. */
    language: z.optional(z.enum(LANGUAGES)),
  })
  .check(z.refine(({ kind, address }) => addressProblem(kind, address) === undefined));
export type AlertDestination = z.output<typeof AlertDestination>;

export const AlertDestinations = z.readonly(
  z.array(AlertDestination).check(
    z.maxLength(MAX_DESTINATIONS),
    z.refine((list) => new Set(list.map(({ name }) => name)).size === list.length),
  ),
);
