/** The account and API token that a call is made with. */
import type { TokenEntry, UserEntry } from '../../services/cache/caller-cache.ts';

export interface Caller {
  readonly token: TokenEntry;
  readonly user: UserEntry;
  /** The group the call is routed and priced by; before the model is known it may be `auto`. */
  readonly group: string;
  /** Groups that are tried where no channel of `group` answers (`caller-group.ts`). */
  readonly nextGroups?: readonly string[];
  /** Text after `sk-<key>-`: a channel an admin asks for. */
  readonly pinned: string;
}
