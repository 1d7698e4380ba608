import { describe, expect, it } from 'vitest';
import { effectiveGroup, mayUseGroup, usableGroups } from '../../src/domain/groups.ts';
import { logTypeOf, logTypeWord } from '../../src/domain/logs/log-types.ts';
import {
  isAdmin,
  isRole,
  isSuperAdmin,
  mayAct,
  mayManage,
  roleWord,
} from '../../src/domain/roles.ts';
import {
  CHANNEL_STATUS,
  isFinished,
  statusNumber,
  statusWord,
  TOKEN_STATUS,
} from '../../src/domain/statuses.ts';

describe('roles', () => {
  it('are admin from 10 and super admin from 100', () => {
    expect([0, 1, 9, 10, 100].map(isAdmin)).toEqual([false, false, false, true, true]);
    expect([1, 10, 99, 100].map(isSuperAdmin)).toEqual([false, false, false, true]);
  });

  it('read as unknown for any other number', () => {
    expect([0, 1, 10, 100, 5].map(roleWord)).toEqual([
      'guest',
      'user',
      'admin',
      'super_admin',
      'unknown',
    ]);
    expect([0, 1, 10, 100, 5, '10', null].filter(isRole)).toEqual([0, 1, 10, 100]);
  });

  it.each([
    [100, 100, true],
    [100, 10, true],
    [100, 1, true],
    [10, 1, true],
    [10, 10, false],
    [10, 100, false],
    [1, 1, false],
    [1, 0, false],
  ])('role %d managing role %d: %s', (actor, target, allowed) => {
    expect(mayManage(actor, target)).toBe(allowed);
  });

  it('never allow a super admin to be disabled, deleted or demoted', () => {
    expect(mayAct('disable', 100, 100)).toBe(false);
    expect(mayAct('delete', 100, 100)).toBe(false);
    expect(mayAct('demote', 100, 100)).toBe(false);
    expect(mayAct('enable', 100, 100)).toBe(true);
  });

  it('let only a super admin promote users and demote admins', () => {
    expect(mayAct('promote', 100, 1)).toBe(true);
    expect(mayAct('promote', 100, 10)).toBe(false);
    expect(mayAct('promote', 10, 1)).toBe(false);
    expect(mayAct('demote', 100, 10)).toBe(true);
    expect(mayAct('demote', 100, 1)).toBe(false);
    expect(mayAct('demote', 10, 10)).toBe(false);
  });

  it('let an admin disable and delete users, not other admins', () => {
    expect([mayAct('disable', 10, 1), mayAct('delete', 10, 1)]).toEqual([true, true]);
    expect([mayAct('disable', 10, 10), mayAct('delete', 10, 10)]).toEqual([false, false]);
  });
});

describe('statuses and log types', () => {
  it('have a word for each number and unknown for the rest', () => {
    expect(statusWord(TOKEN_STATUS, 4)).toBe('exhausted');
    expect(statusWord(CHANNEL_STATUS, 3)).toBe('auto_disabled');
    expect(statusWord(CHANNEL_STATUS, 9)).toBe('unknown');
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(logTypeWord)).toEqual([
      'top_up',
      'consume',
      'admin',
      'system',
      'check_in',
      'error',
      'refund',
      'unknown',
    ]);
  });

  it('are found by word in either spelling, or by number', () => {
    expect(statusNumber(CHANNEL_STATUS, 'Auto-Disabled')).toBe(3);
    expect(statusNumber(CHANNEL_STATUS, '2')).toBe(2);
    expect(statusNumber(CHANNEL_STATUS, '7')).toBeUndefined();
    expect(logTypeOf('check-in')).toBe(5);
    expect(logTypeOf('all')).toBe(0);
    expect(logTypeOf('toString')).toBeUndefined();
  });

  it('are final for success and failure only', () => {
    expect(['SUCCESS', 'FAILURE', 'IN_PROGRESS', ''].map(isFinished)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('groups', () => {
  const ratios = { default: 1, vip: 0.8, staff: 0 };
  const labels = { default: 'For all', vip: '', retired: 'Gone' };

  it('come from the token when it names one', () => {
    expect(effectiveGroup('vip', 'default')).toBe('vip');
    expect(effectiveGroup('', 'default')).toBe('default');
  });

  it("may be chosen if offered or the user's own", () => {
    expect(mayUseGroup(labels, 'staff', 'vip')).toBe(true);
    expect(mayUseGroup(labels, 'staff', 'staff')).toBe(true);
    expect(mayUseGroup(labels, 'default', 'staff')).toBe(false);
    expect(mayUseGroup(labels, '', '')).toBe(false);
    expect(mayUseGroup(labels, 'default', 'constructor')).toBe(false);
  });

  it('are listed with factor and label, own group first, retired ones omitted', () => {
    expect(usableGroups({ ratios, labels }, 'staff')).toEqual([
      { name: 'staff', ratio: 0, label: 'staff' },
      { name: 'default', ratio: 1, label: 'For all' },
      { name: 'vip', ratio: 0.8, label: 'vip' },
    ]);
    expect(usableGroups({ ratios, labels }, '').map(({ name }) => name)).toEqual([
      'default',
      'vip',
    ]);
  });
});
