import type * as z from 'zod/mini';
import { groupCalls } from '../../../../src/api/accounts/group.ts';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { type PriceEntry, priceCalls } from '../../../../src/api/billing/price.ts';
import { priceSourceCalls } from '../../../../src/api/billing/price-source.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { destinationCalls } from '../../../../src/api/messaging/destination.ts';
import { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import { type Job as JobReply, jobCalls } from '../../../../src/api/site/job.ts';
import { type OptionAudit, optionCalls } from '../../../../src/api/site/option.ts';
import { client } from '../../lib/api/api.ts';

export type Job = z.output<typeof JobReply>;
export type OptionChange = z.output<typeof OptionAudit>;
export type Price = z.output<typeof PriceEntry>;

export const options = client(optionCalls);
export const prices = client(priceCalls);
export const identity = client({ discover: oauthCalls.discover });
export const priceSource = client(priceSourceCalls);
export const jobs = client(jobCalls);
export const groupsApi = client({ list: groupCalls.list });
export const logCleanup = client({ clearPart: logCalls.clearPart, list: logCalls.list });
export const destinations = client(destinationCalls);
export const testMail = client({ test: noticeCalls.testMail });
