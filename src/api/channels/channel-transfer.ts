/** Exports and imports channels as a document, for version control, migration or restore. */
import * as z from 'zod/mini';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { call } from '../call.ts';
import { exportShape } from '../column-schemas.ts';
import { CommaList, Flag, Impact, OwnPassword, Warnings } from '../fields.ts';
import { channelFields, HeaderSafeText } from './channel-fields.ts';

/** Empty fields are left out. */
export const ExportedChannel = z.object({
  /** Set only when channels share a name, so that an import can identify each. */
  id: z.optional(z.int()),
  ...exportShape(CHANNEL),
  /** The slug of the type, or its number where it has none. */
  type: z.union([z.string(), z.int()]),
  status: z.int(),
  /** Masked, unless a super admin requested the keys. Several are separated by line breaks. */
  key: z.string(),
});

export const TRANSFER_VERSION = 1;

/** More than any site exports; one transaction writes them all. */
const MAX_CHANNELS = 20_000;

/** Absent fields keep the value of an existing channel; a new channel gets the default. */
export const ChannelDocument = z.extend(z.partial(z.object(channelFields)), {
  /** Identifies an existing channel instead of the name, which may then change. */
  id: z.optional(z.int().check(z.minimum(1))),
  name: channelFields.name,
  /** All keys of the channel, stored ones in full or masked; empty or absent: unchanged. */
  key: z.optional(z.string().check(z.maxLength(1_000_000), HeaderSafeText)),
  /** Alias of `group`. */
  groups: z.optional(CommaList),
  status: z.optional(z.union([z.literal(1), z.literal(2), z.literal(3)])),
});

export const channelTransferCalls = {
  exportAll: call.admin('GET /api/channel/export', {
    // POST variant, because a password must not appear in a URL.
    also: ['POST /api/channel/export'],
    summary:
      'Exports all channels as a document for import; super administrators may include the keys',
    input: z.object({
      keys: z._default(Flag, false),
      tag: z.optional(z.string()),
      password: OwnPassword,
    }),
    reply: z.object({ version: z.int(), channels: z.array(ExportedChannel) }),
  }),
  importAll: call.admin('POST /api/channel/import', {
    isLarge: true,
    summary:
      'Creates and updates channels from a document; channels are matched by id, otherwise by name',
    input: z.object({
      version: z._default(z.literal(TRANSFER_VERSION), TRANSFER_VERSION),
      channels: z.array(ChannelDocument).check(z.minLength(1), z.maxLength(MAX_CHANNELS)),
      /** Returns the plan without applying it. */
      dry_run: z._default(Flag, false),
      /** Groups that a dry run treats as existing, because the caller is about to create them. */
      new_groups: z._default(CommaList, ''),
      impact: Impact,
    }),
    reply: z.object({
      dry_run: z.boolean(),
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      items: z.array(
        z.object({
          name: z.string(),
          /** 0 for a channel that would be created. */
          id: z.int(),
          action: z.enum(['create', 'update', 'same']),
          /** Names of the changed fields. */
          changes: z.array(z.string()),
          warnings: Warnings,
        }),
      ),
    }),
  }),
};
