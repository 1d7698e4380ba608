/** The calls of a visitor and of the current user, from all account services. */
import type { accountCalls } from '../../api/accounts/account.ts';
import type { Service } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import * as checkIns from '../accounts/check-ins.ts';
import * as invites from '../accounts/invites.ts';
import * as ownAccount from '../accounts/own-account.ts';
import { changeSetting } from '../accounts/user-settings.ts';
import * as emailCodes from './email-codes.ts';
import { login, logout } from './sign-in.ts';
import { register } from './sign-up.ts';

export const account: Service<typeof accountCalls, Context> = {
  ...ownAccount,
  register,
  login,
  logout,
  sendCode: emailCodes.sendCode,
  requestReset: emailCodes.requestReset,
  resetPassword: emailCodes.resetPassword,
  bindEmail: emailCodes.bindEmail,
  changeSetting,
  affCode: invites.affCode,
  transferAff: invites.transferAff,
  checkInStatus: checkIns.checkInStatus,
  checkIn: checkIns.checkIn,
};
