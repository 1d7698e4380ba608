import type { PerCallPrice } from '../../domain/pricing/price.ts';
import type { TaskPlan, TaskProvider } from '../../providers/tasks/task-provider.ts';
import type { TaskScope } from '../../store/tables/task-rows.ts';

/** What a submission is, beside its call. */
export interface Submission {
  readonly provider: TaskProvider;
  readonly plan: TaskPlan;
  readonly price: PerCallPrice;
  /** The id that clients know the task by. */
  readonly publicId: string;
  /** The upstream id of the task it continues; '' without one. */
  readonly originUpstreamId: string;
}

/** Selects this provider's task rows. */
export function taskScopeOf({ table, platform }: TaskProvider): TaskScope {
  return { table, platform: table === 'midjourneys' ? '' : platform };
}
