/** The account and API token that a call is made with. */
import type { TokenEntry, UserEntry } from '../../services/cache/caller-cache.ts';

export interface Caller {
  readonly token: TokenEntry;
  readonly user: UserEntry;
  /** The group that the call is routed and priced by; may be `auto` until the model is known. */
  readonly group: string;
  /** Groups that are tried when no channel of `group` can answer (`caller-group.ts`). */
  readonly nextGroups?: readonly string[];
  /** Text after `sk-<key>-`: the channel that an administrator pins. */
  readonly pinned: string;
}
