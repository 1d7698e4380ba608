/** Users as managed by administrators. */
import * as z from 'zod/mini';
import { LANGUAGES } from '../../domain/languages.ts';
import { eachColumn } from '../../domain/nouns/columns.ts';
import { IDENTITY, USER, USER_RECORD } from '../../domain/nouns/user.ts';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { inputShape, replyShape } from '../column-schemas.ts';
import {
  FilterGroup,
  FilterInt,
  FilterText,
  OwnPassword,
  PlainLine,
  Quota,
  Units,
} from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

/** 1 to 12 characters after trimming, without blanks and control characters. */
export const Username = z.string().check(
  z.trim(),
  // One form of characters that look the same, such as full-width letters.
  z.normalize('NFKC'),
  z.minLength(1),
  z.maxLength(USER.username.most),
  z.regex(/^[^\s\p{C}]*$/u, problemMessage('has_blanks')),
);

export const Password = z.string().check(z.minLength(8), z.maxLength(256));

export const DisplayName = z
  .string()
  .check(z.trim(), z.maxLength(USER.display_name.most), PlainLine);
/** An email address or empty; without the characters that separate addresses in a mail header. */
export const Email = z
  .string()
  .check(
    z.trim(),
    z.maxLength(USER.email.most),
    z.regex(
      /^(|[^\s@<>()[\],;:"\\\p{C}]+@[^\s@<>()[\],;:"\\\p{C}]+)$/u,
      problemMessage('not_email'),
    ),
  );
const GroupName = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(USER.group.most), PlainLine);

const userFields = inputShape(USER, {
  username: Username,
  display_name: DisplayName,
  group: GroupName,
  email: Email,
});

const AccountRole = z.union([z.literal(1), z.literal(10), z.literal(100)]);

export const User = z.object({
  id: z.int(),
  ...replyShape(USER),
  ...replyShape(USER_RECORD),
  aff_history_quota: z.int(),
  /** Of messages, mails and notifications; null if none was chosen. */
  language: z.nullable(z.enum(LANGUAGES)),
  /** ISO 8601, or null for an account that is not deleted. */
  DeletedAt: z.nullable(z.string()),
});

const UserList = z.extend(PageQuery, {
  keyword: FilterText,
  group: FilterGroup,
  role: FilterInt,
  status: FilterInt,
});

export const NewUser = z.extend(z.partial(z.object(userFields)), {
  username: Username,
  password: Password,
  /** Default 1; must be below the caller's own. */
  role: z.optional(AccountRole),
  /** Quota units; default: the option QuotaForNewUser. */
  quota: z.optional(Quota),
});

/** Empty ends the link to an external identity; else only the current value is accepted. */
const Identity = z.optional(z.string().check(z.maxLength(200)));

/** Only the fields sent are written. */
const UserEdit = z.extend(z.partial(z.object(userFields)), {
  id: Id,
  /** Empty means unchanged, because forms load it blank. */
  password: z.optional(z.union([z.literal(''), Password])),
  quota: z.optional(Units),
  /** Null deletes the choice. */
  language: z.optional(z.nullable(z.enum(LANGUAGES))),
  ...eachColumn(IDENTITY, () => Identity),
  /** Sent back by consoles; refused if it would be a promotion, and never written. */
  role: z.optional(z.int()),
});

/** Idempotency key: the same key changes a user's balance only once. */
const ChangeKey = z.optional(z.string().check(z.minLength(1), z.maxLength(100)));

const QuotaChange = z.object({
  id: Id,
  mode: z.enum(['add', 'set']),
  units: Units,
  key: ChangeKey,
});

const QuotaChanged = z.object({
  before: z.int(),
  after: z.int(),
  /** True when the key had been used before, so nothing changed. */
  repeated: z.boolean(),
});

const MANAGE_ACTIONS = ['enable', 'disable', 'promote', 'demote', 'delete'] as const;

const listRow = {
  input: UserList,
  reply: pageSchema(User),
} as const;

export const userCalls = {
  list: call.admin('GET /api/user/', {
    ...listRow,
    summary: 'Lists users, closed accounts included',
  }),
  search: call.admin('GET /api/user/search', { ...listRow, summary: 'Searches users' }),
  get: call.admin('GET /api/user/:id', {
    summary: 'Shows a user',
    input: ById,
    reply: User,
  }),
  getByName: call.admin('GET /api/user/by-name/:username', {
    summary: 'Shows the user with a username',
    input: z.object({ username: z.string() }),
    reply: User,
  }),
  create: call.admin('POST /api/user/', {
    summary: 'Creates a user',
    input: NewUser,
    reply: User,
  }),
  edit: call.admin('PUT /api/user/', {
    summary: 'Changes the given fields',
    input: UserEdit,
    reply: User,
  }),
  setQuota: call.admin('POST /api/user/quota', {
    summary: 'Adds to a balance or sets it',
    input: QuotaChange,
    reply: QuotaChanged,
  }),
  topUp: call.admin('POST /api/topup', {
    summary: 'Adds to the balance of a user',
    input: z.object({ user_id: Id, quota: Units, key: ChangeKey }),
    reply: QuotaChanged,
  }),
  manage: call.admin('POST /api/user/manage', {
    summary: 'Enables, disables, promotes, demotes or deletes a user',
    input: z.object({
      id: z.optional(Id),
      /** Instead of the id. */
      username: z.optional(z.string()),
      action: z.enum(MANAGE_ACTIONS),
    }),
    reply: z.pick(User, { id: true, username: true, role: true, status: true }),
  }),
  setPassword: call.user('POST /api/user/password', {
    summary: 'Sets the password of a user and ends the sessions of the user',
    input: z.object({
      id: Id,
      password: Password,
      /** Current password, to change one's own; not needed in a session under ten minutes old. */
      original_password: OwnPassword,
    }),
  }),
  remove: call.admin('DELETE /api/user/:id', {
    summary: 'Closes the account of a user',
    input: ById,
  }),
  newAccessToken: call.superAdmin('POST /api/user/:id/token', {
    summary: 'Creates a new access token for a user, which is shown once, and revokes the old one',
    input: ById,
    reply: z.string(),
  }),
};
