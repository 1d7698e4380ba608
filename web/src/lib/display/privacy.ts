/** The privacy switch: masks keys, balances and names for this tab's session. */
import { useDisplaySettings } from './display-settings.ts';

const KEY = 'privacy';
const listeners = new Set<() => void>();
let isOn = readOn();

function readOn(): boolean {
  try {
    return sessionStorage.getItem(KEY) === 'on';
  } catch {
    return false;
  }
}

export function isPrivacyOn(): boolean {
  return isOn;
}

export function setPrivacy(on: boolean): void {
  isOn = on;
  try {
    sessionStorage.setItem(KEY, on ? 'on' : 'off');
  } catch {
    // Then it holds until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Calls the listener on every change of the switch. */
export function onPrivacy(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function usePrivacy(): boolean {
  return useDisplaySettings().isPrivate;
}
