import type { TFunction } from 'i18next';
import { confirm } from '../../../components/layout/confirm.tsx';

/** Whoever turns this off without another way in has locked the door from outside. */
export function turnOffPassword(t: TFunction): Promise<boolean> {
  return confirm({
    title: t('setting.password.ask'),
    text: t('setting.password.text'),
    verb: t('setting.password.verb'),
    isDanger: true,
  });
}

/** Names the way out, as everything else is refused then. */
export function turnOnDemo(t: TFunction): Promise<boolean> {
  return confirm({
    title: t('setting.demo.ask'),
    text: t('setting.demo.text'),
    verb: t('setting.demo.verb'),
    isDanger: true,
  });
}
