import type { TFunction } from 'i18next';
import { confirm } from '../../../components/layout/confirm.tsx';

/** Without another sign-in method, turning this off locks everyone out. */
export function turnOffPassword(t: TFunction): Promise<boolean> {
  return confirm({
    title: t('setting.password.ask'),
    text: t('setting.password.text'),
    verb: t('setting.password.verb'),
    isDanger: true,
  });
}

/** Explains how to turn it off again, because all other changes are refused then. */
export function turnOnDemo(t: TFunction): Promise<boolean> {
  return confirm({
    title: t('setting.demo.ask'),
    text: t('setting.demo.text'),
    verb: t('setting.demo.verb'),
    isDanger: true,
  });
}
