import type * as z from 'zod/mini';
import { type BudgetReply, budgetCalls } from '../../../../src/api/billing/budget.ts';
import { client } from '../../lib/api/api.ts';

export type Budget = z.output<typeof BudgetReply>;

export const budgets = client(budgetCalls);
