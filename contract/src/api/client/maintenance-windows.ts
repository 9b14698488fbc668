/** Client methods of maintenance windows. */
import type { MaintenanceWindow, UpdateMaintenanceWindow } from "../../resources/maintenance-window.ts";
import type { maintenanceWindowRoutes } from "../maintenance-windows.ts";
import type { NewMaintenanceWindow } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof maintenanceWindowRoutes;

/** Returns the client methods of maintenance windows. */
export const maintenanceWindowMethods = (call: CallRoute) => ({
  listMaintenanceWindows: (): Promise<MaintenanceWindow[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/maintenance-windows", { query: page }),
      (answer) => answer.maintenanceWindows,
    ),
  async createMaintenanceWindow(window: NewMaintenanceWindow): Promise<MaintenanceWindow> {
    const answer = await call<Routes["create"]>("POST", "/api/maintenance-windows", { body: window });
    return answer.maintenanceWindow;
  },
  async updateMaintenanceWindow(id: string, change: UpdateMaintenanceWindow): Promise<MaintenanceWindow> {
    const input = { params: { id }, body: change };
    return (await call<Routes["update"]>("PUT", "/api/maintenance-windows/:id", input)).maintenanceWindow;
  },
  deleteMaintenanceWindow: (id: string) =>
    call<Routes["delete"]>("DELETE", "/api/maintenance-windows/:id", { params: { id } }),
});
