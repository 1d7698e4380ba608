import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { aBudget, type BudgetFields, windowsOf } from '../support/budgets.ts';
import { databases } from '../support/databases.ts';
import { aSite, type Site, type SiteToken } from '../support/site.ts';
import { rawUpstream } from './raw-upstream.ts';
