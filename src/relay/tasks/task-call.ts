import type { Charge } from '../../domain/pricing/charge.ts';
import type { PerCallPrice } from '../../domain/pricing/price.ts';
import type { TaskPlan, TaskProvider } from '../../providers/tasks/task-provider.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { HeldUnits } from '../../store/ledger/ledger-operations.ts';
import type { TaskScope } from '../../store/tables/task-rows.ts';
import type { AttemptRecord } from '../call/call-stages.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';

export interface TaskPrice {
  readonly price: PerCallPrice;
  readonly groupRatio: number;
  /** What the task costs once the upstream accepts it. */
  readonly charge: Charge;
}

/** A submission; each stage returns a new value. */
export interface TaskCall {
  readonly provider: TaskProvider;
  readonly plan: TaskPlan;
  readonly incoming: Incoming;
  readonly caller: Caller;
  /** The id that clients know the task by. */
  readonly publicId: string;
  readonly price: TaskPrice;
  readonly attempts: readonly AttemptRecord[];
  readonly hold: HeldUnits | undefined;
  /** Id of the task row; 0 before it is inserted. */
  readonly rowId: number;
  /** The channel that accepted the task, or was tried last. */
  readonly channel: ChannelEntry | undefined;
  /** 0 before the first attempt. */
  readonly keyId: number;
}

type Planned = Pick<TaskCall, 'provider' | 'plan' | 'incoming' | 'caller' | 'publicId' | 'price'>;

/** A submission before anything was held, inserted or sent. */
export function plannedTask(planned: Planned): TaskCall {
  return { attempts: [], hold: undefined, rowId: 0, channel: undefined, keyId: 0, ...planned };
}

/** Selects this provider's task rows. */
export function taskScopeOf({ table, platform }: TaskProvider): TaskScope {
  return { table, platform: table === 'midjourneys' ? '' : platform };
}
