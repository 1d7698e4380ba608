/** Public content: the site's texts, the default models of providers, and prices. */
import type { Service } from '../../api/call.ts';
import type { publicCalls } from '../../api/site/public.ts';
import type { Context } from '../../context.ts';
import { PROVIDERS } from '../../providers/rows/provider-rows.ts';
import { ratiosInForce, shownPrices } from '../billing/listed-models.ts';

type Calls = Service<typeof publicCalls, Context>;

export const notice: Calls['notice'] = async (ctx) => ctx.options().get('Notice');

export const about: Calls['about'] = async (ctx) => ctx.options().get('About');

export const userAgreement: Calls['userAgreement'] = async (ctx) =>
  ctx.options().get('legal.user_agreement');

export const privacyPolicy: Calls['privacyPolicy'] = async (ctx) =>
  ctx.options().get('legal.privacy_policy');

export const homePage: Calls['homePage'] = async (ctx) => ctx.options().get('HomePageContent');

export const models: Calls['models'] = async () =>
  Object.fromEntries(PROVIDERS.map((row) => [row.type, [...row.models]]));

export const pricing: Calls['pricing'] = shownPrices;

export const ratioConfig: Calls['ratioConfig'] = ratiosInForce;
