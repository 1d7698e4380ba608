/** The privacy switch: masks keys, balances and names for this tab's session. */
import { readTab, writeTab } from '../browser/tab-storage.ts';
import { createStore } from '../store.ts';
import { useDisplaySettings } from './display-settings.ts';

const KEY = 'privacy';

export const privacy = createStore(readTab(KEY) === 'on');

export function setPrivacy(isOn: boolean): void {
  writeTab(KEY, isOn ? 'on' : 'off');
  privacy.set(isOn);
}

export function usePrivacy(): boolean {
  return useDisplaySettings().isPrivate;
}
