/** State of one submission, filled in by its stages. */
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

export class TaskCall {
  readonly provider: TaskProvider;
  readonly plan: TaskPlan;
  readonly incoming: Incoming;
  readonly caller: Caller;
  /** The id that clients know the task by. */
  readonly publicId: string;
  readonly price: TaskPrice;
  readonly attempts: AttemptRecord[] = [];
  hold: HeldUnits | undefined;
  /** Id of the task row; 0 before it is inserted. */
  rowId = 0;
  /** The channel that accepted the task, or was tried last. */
  channel: ChannelEntry | undefined;
  keyId = 0;

  constructor(
    given: Pick<TaskCall, 'provider' | 'plan' | 'incoming' | 'caller' | 'publicId' | 'price'>,
  ) {
    this.provider = given.provider;
    this.plan = given.plan;
    this.incoming = given.incoming;
    this.caller = given.caller;
    this.publicId = given.publicId;
    this.price = given.price;
  }
}

/** Selects this provider's task rows. */
export function taskScopeOf({ table, platform }: TaskProvider): TaskScope {
  return { table, platform: table === 'midjourneys' ? '' : platform };
}
