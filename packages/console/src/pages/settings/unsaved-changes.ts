/** The browser asks before the page is closed or loaded anew while something would be lost. */
import { useEffect } from 'react';

export function useLeavingWarning(on: boolean): void {
  useEffect(() => {
    if (!on) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [on]);
}
